export { redactValue as leaveOutSecrets } from "../guardian/redaction/redact.ts";
