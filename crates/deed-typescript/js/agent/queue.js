// withFileMutationQueue: one writer of a file at a time, in the order of asking. The host's queue is
// asked too, so that its own tools wait for extensions and the other way round.

import { nextId, op, opAsync } from "deed:native";

const tails = new Map();
let order = Promise.resolve();

async function keyOf(file) {
  // Loaded when the first file is queued: many extensions import the name and never do.
  const [{ callAsync }, path] = await Promise.all([import("deed:fs-styles"), import("deed:modules/node/path")]);
  const absolute = path.resolve(file);
  try {
    return await callAsync("realpath", absolute);
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return absolute;
    throw error;
  }
}

/** Takes a turn of the host; gives what ends it. A host without a queue gives the turn at once. */
async function enter(key) {
  const id = nextId("turn");
  try {
    await opAsync("queue.enter", { id, path: key });
  } catch (error) {
    if (error.name === "UnsupportedError" || error.code === "ERR_UNSUPPORTED") return () => {};
    throw error;
  }
  return () => op("queue.leave", { id });
}

export async function withFileMutationQueue(file, work) {
  const asked = order.then(() => keyOf(file));
  order = asked.catch(() => {});
  const key = await asked;
  const before = tails.get(key) ?? Promise.resolve();
  const { promise: mine, resolve: done } = Promise.withResolvers();
  tails.set(key, mine);
  await before;
  try {
    const leave = await enter(key);
    try {
      return await work();
    } finally {
      leave();
    }
  } finally {
    if (tails.get(key) === mine) tails.delete(key);
    done();
  }
}
