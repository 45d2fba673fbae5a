// @earendil-works/pi-tui: passive components and functions on text. Interactive components are not
// there: their names are, and throw when they are used.

import { partly } from "deed:errors";
import { Box, Container, HStack, Image, Markdown, Spacer, Text, TruncatedText, VStack } from "deed:tui/components";
import { decodeKittyPrintable, isKeyRelease, isKeyRepeat, isKittyProtocolActive, Key, matchesKey, parseKey, setKittyProtocolActive } from "deed:tui/keys";

export * from "deed:modules/stubs/pi-tui";
export { fuzzyFilter, fuzzyMatch } from "deed:tui/fuzzy";
export { replaceControlCharacters, sliceByColumn, stripTerminalSequences, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "deed:tui/width";
export { Box, Container, decodeKittyPrintable, HStack, Image, isKeyRelease, isKeyRepeat, isKittyProtocolActive, Key, Markdown, matchesKey, parseKey, setKittyProtocolActive, Spacer, Text, TruncatedText, VStack };

/** Where a component says that the cursor is. */
export const CURSOR_MARKER = "\u001b_deed:cursor\u0007";
export const isFocusable = (component) => component !== null && typeof component === "object" && "focused" in component;
const PLAIN = "text stays plain";
const same = partly(PLAIN, (text) => text);
const nothing = partly(PLAIN, () => "");
export const isViewportTUI = () => false;
export const renderFakeCursor = same;
export const hyperlink = same;
export const getCapabilities = () => ({ images: null, trueColor: false, hyperlinks: false });
export const detectCapabilities = getCapabilities;
export const getTerminalColorMode = () => "truecolor";
export const imageFallback = (mimeType, dimensions, filename) => `[image: ${[filename, mimeType, dimensions && `${dimensions.widthPx}x${dimensions.heightPx}`].filter(Boolean).join(" ")}]`;
export const styleText = same;
export const styleTextWithAnsi = same;
export const foregroundAnsi = nothing;
export const backgroundAnsi = nothing;
export const setKeybindings = partly("does nothing", () => {});
