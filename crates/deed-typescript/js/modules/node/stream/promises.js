// node:stream/promises.

import { finishedPromise, pipelinePromise } from "deed:stream-pipeline";

export * from "deed:modules/stubs/node/stream/promises";

export { finishedPromise as finished, pipelinePromise as pipeline };
export default { finished: finishedPromise, pipeline: pipelinePromise };
