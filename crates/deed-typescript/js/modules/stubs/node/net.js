// Made by make-exports.mjs: names of 'node:net' that have no implementation.

import { stubs } from "deed:errors";

export const [BlockList, Server, Socket, SocketAddress, Stream, _createServerHandle, _normalizeArgs, _setSimultaneousAccepts, connect, createConnection, createServer, getDefaultAutoSelectFamily, getDefaultAutoSelectFamilyAttemptTimeout, isIP, isIPv4, isIPv6, setDefaultAutoSelectFamily, setDefaultAutoSelectFamilyAttemptTimeout] = stubs("node:net", "BlockList Server Socket SocketAddress Stream _createServerHandle _normalizeArgs _setSimultaneousAccepts connect createConnection createServer getDefaultAutoSelectFamily getDefaultAutoSelectFamilyAttemptTimeout isIP isIPv4 isIPv6 setDefaultAutoSelectFamily setDefaultAutoSelectFamilyAttemptTimeout");
export default { BlockList, Server, Socket, SocketAddress, Stream, _createServerHandle, _normalizeArgs, _setSimultaneousAccepts, connect, createConnection, createServer, getDefaultAutoSelectFamily, getDefaultAutoSelectFamilyAttemptTimeout, isIP, isIPv4, isIPv6, setDefaultAutoSelectFamily, setDefaultAutoSelectFamilyAttemptTimeout };
