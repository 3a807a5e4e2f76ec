/**
 * The tools of each dialect as JSON, from the build; empty when Toolcrib runs from its sources. Without it, a list of tools
 * would have to load every tool, and most sessions call few of them.
 */
export const describedTools: Readonly<Record<string, string>> = {};
