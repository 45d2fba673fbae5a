// node:diagnostics_channel within the isolate.

export * from "deed:modules/stubs/node/diagnostics_channel";

const channels = new Map();

export class Channel {
  #listeners = [];
  constructor(name) {
    this.name = name;
  }
  get hasSubscribers() {
    return this.#listeners.length > 0;
  }
  subscribe(listener) {
    this.#listeners.push(listener);
  }
  unsubscribe(listener) {
    const before = this.#listeners.length;
    this.#listeners = this.#listeners.filter((other) => other !== listener);
    return this.#listeners.length < before;
  }
  publish(message) {
    for (const listener of [...this.#listeners]) listener(message, this.name);
  }
}
export function channel(name) {
  if (!channels.has(name)) channels.set(name, new Channel(name));
  return channels.get(name);
}
export const hasSubscribers = (name) => channels.get(name)?.hasSubscribers ?? false;
export const subscribe = (name, listener) => channel(name).subscribe(listener);
export const unsubscribe = (name, listener) => channel(name).unsubscribe(listener);
export default { channel, Channel, hasSubscribers, subscribe, unsubscribe };
