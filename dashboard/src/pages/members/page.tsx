import { type ReactNode, useState } from "react";
import { useAccount } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { Tabs, useTab } from "../../parts/tabs.tsx";
import { useWords } from "../../words/use-words.ts";
import { Invitations } from "./invitations.tsx";
import { Invite } from "./invite.tsx";
import { Members } from "./members.tsx";
import { peopleWords } from "./words.ts";

/** Who is in the account, and with which role; owners invite and remove. */
export function PeoplePage(): ReactNode {
  const t = useWords(peopleWords);
  const { id, role } = useAccount();
  const isOwner = role === "owner";
  const tab = useTab(isOwner ? ["members", "invitations"] : ["members"]);
  const [inviting, setInviting] = useState(false);
  const invite = isOwner && (
    <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
      {t.invite}
    </Button>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={invite}>
      {isOwner && (
        <Tabs
          label={t.tabs}
          tabs={[
            ["members", t.members],
            ["invitations", t.invitations],
          ]}
        />
      )}
      {tab === "members" ? <Members invite={invite} /> : <Invitations path={`/accounts/${id}/invitations`} />}
      {inviting && <Invite account={id} onClose={() => setInviting(false)} />}
    </Page>
  );
}
