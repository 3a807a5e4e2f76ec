/** How we introduce ourselves, so that servers and their robots.txt can tell who asks. */
export const agentName = "toolcrib/0.1.0";
