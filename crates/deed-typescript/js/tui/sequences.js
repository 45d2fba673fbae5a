// What terminals obey instead of showing it.

/** One sequence, where `lastIndex` stands. */
export const SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]_P^X][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^-~])/y;

const SEQUENCES = new RegExp(SEQUENCE.source, "g");
/** Returns a text without any. */
export const stripTerminalSequences = (text) => (text.includes("\u001b") ? text.replace(SEQUENCES, "") : text);
