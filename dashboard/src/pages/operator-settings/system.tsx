import type { ReactNode } from "react";
import type { SettingsResponse } from "../../../../src/console/settings/contract.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Section } from "../../parts/page.tsx";
import { Facts } from "../../parts/stat.tsx";
import { Rows } from "../../parts/table.tsx";
import { useWords } from "../../words/use-words.ts";
import { Mail } from "./mail.tsx";
import { settingsWords } from "./words.ts";

/** What the gateway runs on. */
export function System({ settings }: { readonly settings: SettingsResponse }): ReactNode {
  const t = useWords(settingsWords);
  const { database, processes, environment } = settings;
  return (
    <>
      <Facts
        rows={[
          [t.version, settings.version],
          [t.publicUrl, settings.public_url],
          [t.database, `${database.kind === "embedded" ? t.embedded : t.server} ${database.version}`],
          [t.size, sizeText(BigInt(database.size_bytes))],
        ]}
      />
      <Section title={t.processes}>
        <Rows
          caption={t.processes}
          rows={processes}
          rowKey={({ label, since }) => `${label} ${since}`}
          columns={[
            {
              title: t.process,
              cell: ({ label, is_this }) => (
                <>
                  {label} {is_this && <Badge tone="accent">{t.thisOne}</Badge>}
                </>
              ),
            },
            { title: t.since, cell: ({ since }) => <Time at={since} /> },
          ]}
        />
      </Section>
      <Mail />
      <Section title={t.environment}>
        <p className="max-w-prose text-mute">{t.environmentNote}</p>
        <Rows
          caption={t.environment}
          rows={environment}
          rowKey={({ name }) => name}
          columns={[
            { title: t.variable, cell: ({ name }) => <code className="font-mono break-all">{name}</code> },
            {
              title: t.state,
              cell: ({ is_set }) =>
                is_set ? (
                  <Badge tone="good">{t.given}</Badge>
                ) : (
                  <span className="text-mute">{t.notGiven}</span>
                ),
            },
          ]}
        />
      </Section>
    </>
  );
}

function sizeText(bytes: bigint): string {
  const megabytes = Number(bytes / 1024n) / 1024;
  return megabytes < 1024 ? `${megabytes.toFixed(0)} MB` : `${(megabytes / 1024).toFixed(1)} GB`;
}
