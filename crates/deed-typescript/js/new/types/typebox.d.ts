// typebox: its builders by name, and all of them as `Type`.

import * as Type from "./typebox-builders";

export * from "./typebox-builders";
export { Type };
export default Type;
