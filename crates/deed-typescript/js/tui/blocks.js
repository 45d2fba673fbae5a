// Components as blocks of a card: plain data that every front end can draw.

import { Box, Container, Image, linesOf, Markdown, Spacer, Text, TruncatedText, VStack } from "deed:tui/components";
import { stripTerminalSequences } from "deed:tui/width";

/** How wide a component of its own kind is asked to be. */
const WIDTH = 100;
const plain = (text) => stripTerminalSequences(String(text ?? "")).replace(/[ \t]+$/gm, "");

/** Splits Markdown at its fenced code. */
function markdownBlocks(source) {
  const blocks = [];
  let lines = [];
  let fence;
  const flush = (make) => {
    const text = lines.join("\n");
    if (text.trim() !== "") blocks.push(make(text));
    lines = [];
  };
  const asText = (text) => ({ type: "text", text: text.replace(/^\n+|\n+$/g, "") });
  for (const line of source.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/.exec(line);
    if (!fence && mark) {
      flush(asText);
      fence = { mark: mark[1], language: mark[2] };
    } else if (fence && mark && mark[1].startsWith(fence.mark) && mark[2] === "") {
      const { language } = fence;
      flush((text) => ({ type: "code", text, language }));
      fence = undefined;
    } else lines.push(line);
  }
  flush(fence ? (text) => ({ type: "code", text, language: fence.language }) : asText);
  return blocks;
}

const textBlock = (text) => (text.trim() === "" ? [] : [{ type: "text", text: text.replace(/^\n+|\n+$/g, "") }]);

function blocksOf(component) {
  if (component === null || component === undefined) return [];
  if (typeof component === "string") return textBlock(plain(component));
  if (component instanceof Markdown && component.render === Markdown.prototype.render) return markdownBlocks(plain(component.text));
  if ((component instanceof Text && component.render === Text.prototype.render) || component instanceof TruncatedText) return textBlock(plain(component.text));
  if (component instanceof Spacer) return [{ gap: true }];
  if (component instanceof Image) return [{ type: "image", data: component.base64Data, mimeType: component.mimeType, alt: component.options.filename ?? "image" }];
  if (PLAIN.has(component.render)) return component.children.flatMap(blocksOf);
  return textBlock(linesOf(component, WIDTH).join("\n"));
}

/** How containers draw that show their children and nothing else. */
const PLAIN = new Set([Container.prototype.render, Box.prototype.render, VStack.prototype.render]);

/** Puts neighbouring texts together; a gap between two of them is an empty line. */
function joined(blocks) {
  const out = [];
  let gap = false;
  for (const block of blocks) {
    if (block.gap) {
      gap = true;
      continue;
    }
    const last = out.at(-1);
    if (block.type === "text" && last?.type === "text") last.text += `${gap ? "\n\n" : "\n"}${block.text}`;
    else out.push({ ...block });
    gap = false;
  }
  return out;
}

/** Makes blocks of a component. */
export const toBlocks = (component) => joined(blocksOf(component));
