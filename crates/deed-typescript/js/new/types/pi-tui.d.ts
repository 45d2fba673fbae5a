// Passive components: what renderers return. They become blocks of a card; text stays plain.

export interface Component {
  render(width: number): readonly string[];
  invalidate(): void;
}

type Style = (text: string) => string;

export declare class Text implements Component {
  constructor(text?: string, paddingX?: number, paddingY?: number, background?: Style);
  setText(text: string): void;
  setPaddingX(paddingX: number): void;
  setCustomBgFn(background?: Style): void;
  render(width: number): readonly string[];
  invalidate(): void;
}

/** One line, cut where it does not fit. */
export declare class TruncatedText implements Component {
  constructor(text: string, paddingX?: number, paddingY?: number);
  render(width: number): readonly string[];
  invalidate(): void;
}

export interface MarkdownTheme {
  heading: Style;
  link: Style;
  code: Style;
  [part: string]: any;
}

export declare class Markdown implements Component {
  constructor(text: string, paddingX?: number, paddingY?: number, theme?: MarkdownTheme, defaultTextStyle?: object, options?: object);
  setText(text: string): void;
  render(width: number): readonly string[];
  invalidate(): void;
}

export declare class Spacer implements Component {
  constructor(lines?: number);
  setLines(lines: number): void;
  render(width: number): readonly string[];
  invalidate(): void;
}

export declare class Image implements Component {
  constructor(base64Data: string, mimeType: string, theme?: object, options?: { filename?: string; [option: string]: unknown }, dimensions?: object);
  render(width: number): readonly string[];
  invalidate(): void;
}

export declare class Container implements Component {
  children: Component[];
  addChild(component: Component): void;
  removeChild(component: Component): void;
  clear(): void;
  render(width: number): readonly string[];
  invalidate(): void;
}

export declare class Box extends Container {
  constructor(paddingX?: number, paddingY?: number, background?: Style);
  setBgFn(background?: Style): void;
  setPaddingX(paddingX: number): void;
}

/** A child, or a child with how it grows. */
export type StackChild = Component | { component: Component; [option: string]: unknown };
export declare class VStack extends Container {
  constructor(children?: StackChild[], options?: { gap?: number; [option: string]: unknown });
}
export declare class HStack extends VStack {}

/** How many columns a text takes. */
export declare function visibleWidth(text: string): number;
export declare function truncateToWidth(text: string, width: number, ellipsis?: string, pad?: boolean): string;
export declare function wrapTextWithAnsi(text: string, width: number): string[];
export declare function sliceByColumn(text: string, start: number, length: number, strict?: boolean): string;
export declare function stripTerminalSequences(text: string): string;
export declare function replaceControlCharacters(text: string): string;

export declare function fuzzyMatch(query: string, text: string): { matches: boolean; score: number };
export declare function fuzzyFilter<T>(items: T[], query: string, textOf: (item: T) => string): T[];

/** The name of a key, such as `ctrl+shift+x`. */
export type KeyId = string;
export declare const Key: { readonly [name: string]: any };
export declare function matchesKey(data: string, key: KeyId): boolean;
export declare function parseKey(data: string): KeyId | undefined;
export declare function isKeyRelease(data: string): boolean;
export declare function isKeyRepeat(data: string): boolean;

/** What a command offers for the beginning of its arguments. */
export interface AutocompleteItem {
  value: string;
  label: string;
  description?: string;
}
