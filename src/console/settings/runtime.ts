/** What a process runs with, as far as its environment says; never the contents of a variable that may be secret. */
export interface Runtime {
  /** Host and process id, as its journal carries it. */
  readonly label: string;
  readonly variables: readonly { readonly name: string; readonly isSet: boolean }[];
  /** Where the embedded database would be. */
  readonly dataDir: string;
  /** The catalog file that every start applies. */
  readonly configFile: string | undefined;
}
