// node:console.

export { console as default } from "deed:globals/console";
