// node:console.

import { console } from "deed:globals/console";

export * from "deed:modules/stubs/node/console";
export const { assert, clear, count, countReset, debug, dir, dirxml, error, group, groupCollapsed, groupEnd, info, log, table, time, timeEnd, timeLog, trace, warn } = console;
export default console;
