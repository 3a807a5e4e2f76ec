import { networkInterfaces } from "node:os";
import { ToolError } from "../../contract/error.ts";
import type { Arguments } from "../command.ts";

/** An IPv4 address of this machine that other devices may reach, and its network interface. */
export interface NetworkAddress {
  readonly name: string;
  readonly address: string;
}

/** Returns the address for other devices; undefined without `--pair`. Throws when the user has to choose one. */
export function pairAddress(
  { options }: Pick<Arguments, "options">,
  addresses: readonly NetworkAddress[] = ownAddresses(),
): string | undefined {
  const host = options.get("host");
  if (!options.has("pair") && host === undefined) return undefined;
  const choices = addresses.map(({ address }) => `toolcrib console --pair --host ${address}`);
  const hint = choices.length === 0 ? "Connect this machine to a network." : `Run: ${choices.join(", or: ")}`;
  if (!options.has("pair"))
    throw new ToolError("invalid-input", "--host needs --pair; without it, the console is on 127.0.0.1", {
      hint,
    });
  const [only, ...others] = addresses;
  if (host !== undefined) {
    if (addresses.some(({ address }) => address === host)) return host;
    throw new ToolError("invalid-input", `--host must be an IPv4 address of this machine, not "${host}"`, {
      hint,
    });
  }
  if (only === undefined)
    throw new ToolError("unavailable", "This machine has no address that another device can reach", { hint });
  if (others.length === 0) return only.address;
  const found = addresses.map(({ address, name }) => `${address} (${name})`).join(", ");
  throw new ToolError("invalid-input", `This machine has several addresses: ${found}`, { hint });
}

function ownAddresses(): readonly NetworkAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.flatMap(({ family, internal, address }) =>
      family === "IPv4" && !internal ? [{ name, address }] : [],
    ),
  );
}
