import { type FormEvent, type ReactNode, useState } from "react";
import type { MailState } from "../../../../src/console/settings/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useRead } from "../../api/use-read.ts";
import { useWrite } from "../../api/use-write.ts";
import { Time } from "../../parts/amounts.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/page.tsx";
import { Rows } from "../../parts/table.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { settingsWords } from "./words.ts";

/** Deliveries that are under way show their results. */
const DELIVERIES_EVERY_MS = 3_000;

/** Whether the mail server takes e-mail: a test, and what became of the latest. */
export function Mail(): ReactNode {
  const t = useWords(settingsWords);
  const query = useRead("/operator/mail", {}, { everyMs: DELIVERIES_EVERY_MS });
  return (
    <Section title={t.mail}>
      <Loaded query={query}>
        {({ is_set, deliveries }) => (
          <>
            {is_set ? <Test /> : <p className="text-mute">{t.noMail}</p>}
            {deliveries.length > 0 && <Deliveries deliveries={deliveries} />}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Test(): ReactNode {
  const t = useWords(settingsWords);
  const [address, setAddress] = useState("");
  const test = useWrite(
    () => write("POST", "/operator/mail/test", { address }),
    () => toast(t.testSent),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    test.mutate(undefined);
  };
  const fault = faultOf(test.error, "address");
  return (
    <form className="flex max-w-xl flex-col gap-2" onSubmit={submit}>
      <Field label={t.testAddress} error={fault}>
        <Input
          type="email"
          required
          maxLength={254}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
        />
      </Field>
      {test.error !== null && fault === undefined && <Failed error={test.error} />}
      <div>
        <Button type="submit" busy={test.isPending}>
          {t.sendTest}
        </Button>
      </div>
    </form>
  );
}

function Deliveries({ deliveries }: Pick<MailState, "deliveries">): ReactNode {
  const t = useWords(settingsWords);
  return (
    <Rows
      caption={t.mail}
      rows={deliveries}
      rowKey={({ id }) => id}
      columns={[
        { title: t.mailTime, cell: ({ created_at }) => <Time at={created_at} /> },
        {
          title: t.mailKind,
          cell: ({ event }) => t.mailKinds[event as keyof typeof t.mailKinds] ?? event,
        },
        { title: t.recipient, cell: ({ address }) => <span className="break-all">{address}</span> },
        {
          title: t.result,
          cell: ({ delivered_at, next_attempt_at, failure }) => (
            <>
              {delivered_at !== null ? (
                <Badge tone="good">{t.accepted}</Badge>
              ) : next_attempt_at !== null ? (
                <Badge tone={failure === null ? "plain" : "warn"}>{t.underWay}</Badge>
              ) : (
                <Badge tone="bad">{t.givenUp}</Badge>
              )}
              {delivered_at === null && failure !== null && (
                <span className="block text-sm break-words text-mute">{failure}</span>
              )}
            </>
          ),
        },
      ]}
    />
  );
}
