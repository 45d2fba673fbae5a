// node:readline/promises.

import { Interface as Lines } from "deed:modules/node/readline";

export * from "deed:modules/stubs/node/readline/promises";

export class Interface extends Lines {
  question(query) {
    return new Promise((resolve) => super.question(query, resolve));
  }
}
export const createInterface = (options, output) => new Interface(options, output);
export default { createInterface, Interface };
