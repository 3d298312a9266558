import type { ReactNode } from "react";
import { useRead } from "../../api/use-read.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Behaviour } from "./behaviour.tsx";
import { System } from "./system.tsx";
import { settingsWords } from "./words.ts";

/** How the gateway behaves, and what it runs on. */
export function OperatorSettingsPage(): ReactNode {
  const t = useWords(settingsWords);
  const tab = useTab(["behaviour", "system"]);
  const query = useRead("/operator/settings");
  return (
    <Page title={t.title} lead={t.lead}>
      <Tabs
        label={t.views}
        tabs={[
          ["behaviour", t.behaviour],
          ["system", t.system],
        ]}
      />
      <Loaded query={query}>
        {(settings) =>
          tab === "behaviour" ? <Behaviour settings={settings} /> : <System settings={settings} />
        }
      </Loaded>
    </Page>
  );
}
