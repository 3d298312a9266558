import { useWords } from "../../words/use-words.ts";
import { upstreamsWords } from "./words.ts";

/** Names a credential. The gateway calls it "none" where an upstream is sent none. */
export function useCredentialName(): (name: string) => string {
  const t = useWords(upstreamsWords);
  return (name) => (name === "none" ? t.noCredential : name);
}
