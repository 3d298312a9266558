import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Password } from "./password.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";
import { Tokens } from "./tokens.tsx";
import { Totp } from "./totp.tsx";
import { meWords } from "./words.ts";

/** Oneself: name, password and codes, the browsers that are signed in, the tokens of one's scripts. */
export function MePage(): ReactNode {
  const t = useWords(meWords);
  const tab = useTab(["profile", "sessions", "tokens"]);
  return (
    <Page title={t.title}>
      <Tabs
        label={t.tabs}
        tabs={[
          ["profile", t.profile],
          ["sessions", t.sessions],
          ["tokens", t.tokens],
        ]}
      />
      {tab === "profile" && (
        <>
          <Profile />
          <Password />
          <Totp />
        </>
      )}
      {tab === "sessions" && <Sessions />}
      {tab === "tokens" && <Tokens />}
    </Page>
  );
}
