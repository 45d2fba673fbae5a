// node:constants.

import { constants as files } from "deed:fs-types";
import { constants as system } from "deed:modules/node/os";

export * from "deed:modules/stubs/node/constants";

export default { ...files, ...system.errno, ...system.signals };
