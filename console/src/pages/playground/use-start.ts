import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { PlaygroundSearch } from './search.ts';
import type { InitialForm } from './use-initial-form.ts';

const route = getRouteApi('/signed-in/playground');
const requestTold = 'The request took the place of what was in the form.';

export type Start = {
  /** What the form starts with, as an address says it. */
  from: PlaygroundSearch;
  /** What it starts with instead, whatever was kept. */
  form: InitialForm | undefined;
  /** What is said where it takes the place of another. */
  told: string | undefined;
  /** Another version is another form. */
  version: number;
  /** Leaves the form as it is, and begins another of a kind. */
  begin: (kind: GenerationKind, form?: InitialForm, told?: string) => void;
};

/**
 * What the form starts with. The address names it once: after that the form is kept as it is left, and a reload must not
 * bring back what was asked for at first.
 */
export function useStart(search: PlaygroundSearch): Start {
  const navigate = route.useNavigate();
  const [start, setStart] = useState(() => ({ ...startAt(search), version: 0 }));
  const restart = (next: Omit<Start, 'version' | 'begin'>) =>
    setStart(({ version }) => ({ ...next, version: version + 1 }));
  const begin = async (kind: GenerationKind, form?: InitialForm, told?: string) => {
    // The address first, since the form reads the kind from there.
    await navigate({
      search: (before) => ({ ...before, kind, model: undefined }),
      replace: true,
      resetScroll: false,
    });
    restart({ from: { kind }, form, told });
  };
  const { from, use } = search;
  const named = from !== undefined || use !== undefined;
  // The first form has read the address already.
  const begun = useRef(!named);
  useEffect(() => {
    if (!named) return;
    if (begun.current) restart(startAt(search));
    begun.current = true;
    void navigate({
      search: (before) => ({ ...before, from: undefined, use: undefined, as: undefined }),
      replace: true,
      resetScroll: false,
    });
  }, [named, search, navigate]);
  return { ...start, begin: (...asked) => void begin(...asked) };
}

function startAt(from: PlaygroundSearch): Omit<Start, 'version' | 'begin'> {
  return { from, form: undefined, told: from.from === undefined ? undefined : requestTold };
}
