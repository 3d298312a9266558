import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { queryClient } from "./query-client.ts";

/**
 * A change: `const revoke = useWrite((id: string) => write("DELETE", `/.../keys/${id}`))`, then
 * `revoke.mutate(id)`, `revoke.isPending`, `revoke.error`. Whatever was read before is read anew after it, as a
 * change shows in more places than its own page knows. While a change is under way the same one is not made again: a
 * second click may come before the button is drawn as busy.
 */
export function useWrite<Given, Answer>(
  change: (given: Given) => Promise<Answer>,
  done?: (answer: Answer, given: Given) => void,
): UseMutationResult<Answer, Error, Given> {
  const underWay = useRef<string>(undefined);
  const mutation = useMutation<Answer, Error, Given>({
    mutationFn: change,
    onSuccess: (answer, given) => {
      void queryClient.invalidateQueries();
      done?.(answer, given);
    },
    onSettled: () => {
      underWay.current = undefined;
    },
  });
  const once: typeof mutation.mutate = (...given) => {
    const asked = JSON.stringify(given[0]) ?? "";
    if (underWay.current === asked) return;
    underWay.current = asked;
    mutation.mutate(...given);
  };
  return { ...mutation, mutate: once };
}
