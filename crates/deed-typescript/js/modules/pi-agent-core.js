// @earendil-works/pi-agent-core: types only, for extensions; the agent itself belongs to the host.

export * from "deed:modules/stubs/pi-agent-core";
