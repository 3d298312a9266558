import type { ProtocolName } from "../../conversation/protocol-name.ts";

/** How a kind spells what transport adds to a request. */
export interface HeaderSpelling {
  /** How the credential travels. */
  readonly auth: KeyHeader;
  /** The same for protocols in which it travels otherwise. */
  readonly authAt?: Readonly<Partial<Record<ProtocolName, KeyHeader>>>;
  /** The part of a credential that travels so, where it holds more than a key. */
  readonly keyIn?: (secret: string) => string;
  /** What streams are asked for as, in protocols where that is no stream of events. */
  readonly streamTypes?: Readonly<Partial<Record<ProtocolName, string>>>;
  /** Names of the version and beta headers. */
  readonly versionHeader: string;
  readonly betaHeader: string;
}

type KeyHeader = "bearer" | "x-api-key" | "x-goog-api-key" | "api-key";
