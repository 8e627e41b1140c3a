import type { ManagedParameter } from '@renderkit/contract/studio/administration/models.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callConsole } from '../../../api/client.ts';
import { formatCount } from '../../../format/numbers.ts';
import { showToast } from '../../../ui/toasts.ts';
import { invalidateModels } from './invalidate-models.ts';

/** Sources by target that a person has chosen and not yet saved. */
export type Bindings = ReadonlyMap<string, string>;

/**
 * Collects the changes in the table of a version until they are saved as one draft. Inputs that belong together would
 * be invalid one by one. If another person has created a newer version in the meantime, nothing is saved. A choice that
 * equals the present value is not a change. `studio/src/administration/bind-parameters.ts` refuses changes that are
 * based on an older version.
 */
export function useBindings(
  { id, version }: { id: string; version: number },
  parameters: readonly ManagedParameter[],
) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [bindings, setBindings] = useState<Bindings>(new Map());
  const save = useMutation({
    mutationFn: () =>
      callConsole('bindParameters', {
        params: { id },
        body: {
          base_version: version,
          bindings: Array.from(bindings, ([target, source]) => ({ target, source })),
        },
      }),
    meta: { inline: true },
    onSuccess: async ({ version: added }) => {
      if (added === null) return;
      await invalidateModels(queryClient);
      showToast(`${formatCount(bindings.size, 'input')} set in version ${added}.`);
      await navigate({
        to: '/administration/models/$id',
        params: { id },
        search: { version: added },
        replace: true,
      });
    },
  });
  const change = (changes: readonly (readonly [target: string, source: string])[]) => {
    save.reset();
    setBindings((before) => {
      const after = new Map(before);
      for (const [target, source] of changes) {
        const known = parameters.find((one) => one.target === target);
        const isUnchanged = known?.source === source && (known.sure !== 'guess' || known.confirmed);
        if (isUnchanged) after.delete(target);
        else after.set(target, source);
      }
      return after;
    });
  };
  return {
    bindings,
    change,
    undo: () => {
      save.reset();
      setBindings(new Map());
    },
    save,
  };
}
