import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import { queryClient } from "./query-client.ts";

/**
 * A change: `const revoke = useWrite((id: string) => write("DELETE", `/.../keys/${id}`))`, then
 * `revoke.mutate(id)`, `revoke.isPending`, `revoke.error`. Whatever was read before is read anew after it, as a
 * change shows in more places than its own page knows.
 */
export function useWrite<Given, Answer>(
  change: (given: Given) => Promise<Answer>,
  done?: (answer: Answer, given: Given) => void,
): UseMutationResult<Answer, Error, Given> {
  return useMutation({
    mutationFn: change,
    onSuccess: (answer, given) => {
      void queryClient.invalidateQueries();
      done?.(answer, given);
    },
  });
}
