// node:tty: nothing here is a terminal.

export * from "deed:modules/stubs/node/tty";

export const isatty = () => false;
export default { isatty };
