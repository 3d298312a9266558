import type { ReactNode } from "react";
import { useAccount } from "../../api/session.ts";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Chat } from "./chat/chat.tsx";
import { Maker } from "./media/maker.tsx";
import { playgroundWords } from "./words.ts";

const MAKES = ["chat", "image", "video"] as const;

/** Try any model as a program would: with a key, at the public API. */
export function PlaygroundPage(): ReactNode {
  const t = useWords(playgroundWords);
  const { id: account, role } = useAccount();
  const make = useTab(MAKES, "make");
  if (role === "viewer") {
    return (
      <Page title={t.title} lead={t.lead}>
        <Empty title={t.viewer}>{t.viewerNote}</Empty>
      </Page>
    );
  }
  return (
    <Page title={t.title} lead={t.lead}>
      <Tabs
        label={t.title}
        param="make"
        tabs={[
          ["chat", t.chat],
          ["image", t.image],
          ["video", t.video],
        ]}
      />
      {make === "chat" ? (
        <Chat key={account} account={account} />
      ) : (
        <Maker key={`${account} ${make}`} account={account} medium={make} />
      )}
    </Page>
  );
}
