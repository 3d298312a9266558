import type { ProtocolName } from "../../conversation/protocol-name.ts";

/** A kind's spelling of the headers that transport adds to a request. */
export interface HeaderSpelling {
  /** The header of the credential. */
  readonly auth: KeyHeader;
  /** The same for protocols in which it travels otherwise. */
  readonly authAt?: Readonly<Partial<Record<ProtocolName, KeyHeader>>>;
  /** The part of a credential that travels so, where it holds more than a key. */
  readonly keyIn?: (secret: string) => string;
  /** The `accept` of streams, for protocols that do not stream events. */
  readonly streamTypes?: Readonly<Partial<Record<ProtocolName, string>>>;
  /** Names of the version and beta headers. */
  readonly versionHeader: string;
  readonly betaHeader: string;
}

type KeyHeader = "bearer" | "x-api-key" | "x-goog-api-key" | "api-key";
