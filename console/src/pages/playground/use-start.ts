import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { PlaygroundSearch } from './search.ts';
import type { InitialForm } from './use-initial-form.ts';

const route = getRouteApi('/signed-in/playground');
const requestTold = 'The request took the place of what was in the form.';

export type Start = {
  /** The initial form, as search parameters. */
  from: PlaygroundSearch;
  /** The initial form itself. It overrides `from` and any stored form. */
  form: InitialForm | undefined;
  /** Message when this form replaces another. */
  told: string | undefined;
  /** A new version means a new form. */
  version: number;
  /** Leaves the present form, and starts another form of a kind. */
  begin: (kind: GenerationKind, form?: InitialForm, told?: string) => void;
};

/**
 * Returns the start of the form. The address is used once. After that the form is stored as the person leaves it, and a
 * reload must not restore the first request.
 */
export function useStart(search: PlaygroundSearch): Start {
  const navigate = route.useNavigate();
  const [start, setStart] = useState(() => ({ ...startAt(search), version: 0 }));
  const restart = (next: Omit<Start, 'version' | 'begin'>) =>
    setStart(({ version }) => ({ ...next, version: version + 1 }));
  const begin = async (kind: GenerationKind, form?: InitialForm, told?: string) => {
    // Changes the address first, because the form reads the kind from there.
    await navigate({
      search: (before) => ({ ...before, kind, model: undefined }),
      replace: true,
      resetScroll: false,
    });
    restart({ from: { kind }, form, told });
  };
  const { from, use } = search;
  const named = from !== undefined || use !== undefined;
  // The first form has already read the address.
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
