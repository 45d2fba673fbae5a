// Made by make-exports.mjs: names of 'node:worker_threads' that have no implementation.

import { stub } from "deed:errors";

const of = (name) => stub("node:worker_threads", name);
export const BroadcastChannel = of("BroadcastChannel");
export const MessageChannel = of("MessageChannel");
export const MessagePort = of("MessagePort");
export const Worker = of("Worker");
export const getEnvironmentData = of("getEnvironmentData");
export const isInternalThread = of("isInternalThread");
export const isMarkedAsUntransferable = of("isMarkedAsUntransferable");
export const markAsUncloneable = of("markAsUncloneable");
export const markAsUntransferable = of("markAsUntransferable");
export const moveMessagePortToContext = of("moveMessagePortToContext");
export const postMessageToThread = of("postMessageToThread");
export const receiveMessageOnPort = of("receiveMessageOnPort");
export const setEnvironmentData = of("setEnvironmentData");
export const threadName = of("threadName");
