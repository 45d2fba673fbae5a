// The theme: text stays plain, since front ends colour cards themselves.

import { guarded, partly } from "deed:errors";

const plain = (text) => String(text);

export class Theme {
  name = "deed";
  sourcePath = undefined;
  appearance = "dark";
  colors = {};
  style = plain;
  fg = (_color, text) => String(text);
  bg = (_color, text) => String(text);
  bold = plain;
  dim = plain;
  italic = plain;
  underline = plain;
  inverse = plain;
  strikethrough = plain;
  getFgAnsi = () => "";
  getBgAnsi = () => "";
  getColorMode = () => "truecolor";
  getThinkingBorderColor = () => plain;
  getBashModeBorderColor = () => plain;
}

export const theme = guarded(partly("text stays plain", new Theme()), "theme");
export const isTheme = (value) => value instanceof Theme;
