export { redactValue as leaveOutSecrets } from "../policy/redaction/redact.ts";
