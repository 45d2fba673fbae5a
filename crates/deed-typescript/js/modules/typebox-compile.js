// typebox/compile: the same checks as typebox/value, under the names of compiled ones.

import { Check, Errors, Parse } from "deed:modules/typebox-value";

export * from "deed:modules/stubs/typebox-compile";

export function Compile(schema) {
  return { Check: (value) => Check(schema, value), Errors: (value) => Errors(schema, value), Parse: (value) => Parse(schema, value), Type: () => schema, Schema: () => schema };
}
export default Compile;
