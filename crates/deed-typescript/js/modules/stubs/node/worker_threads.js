// Made by make-exports.mjs: names of 'node:worker_threads' that have no implementation.

import { stubs } from "deed:errors";

export const [BroadcastChannel, MessageChannel, MessagePort, Worker, getEnvironmentData, isInternalThread, isMarkedAsUntransferable, markAsUncloneable, markAsUntransferable, moveMessagePortToContext, postMessageToThread, receiveMessageOnPort, setEnvironmentData, threadName] = stubs("node:worker_threads", "BroadcastChannel MessageChannel MessagePort Worker getEnvironmentData isInternalThread isMarkedAsUntransferable markAsUncloneable markAsUntransferable moveMessagePortToContext postMessageToThread receiveMessageOnPort setEnvironmentData threadName");
