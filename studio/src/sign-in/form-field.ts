import { Html, html } from './html.ts';

export type Field = {
  name: string;
  label: string;
  type: 'email' | 'password' | 'text';
  /** Token of `autocomplete`. */
  complete: string;
  value?: string | undefined;
  error?: string | undefined;
  hint?: string;
  focus?: boolean;
  describedBy?: string | undefined;
  readOnly?: boolean;
};

/** A labelled input with what is wrong with it, or else a hint, below. */
export function field(asked: Field): Html {
  const { name, label, type, complete, value, error, hint, focus, describedBy, readOnly } = asked;
  const described = [
    describedBy,
    error === undefined ? undefined : `${name}-error`,
    hint === undefined || error !== undefined ? undefined : `${name}-hint`,
  ].filter((id) => id !== undefined);
  return html`<div>
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${complete}"
      required
      value="${value ?? ''}"
      ${new Html(
        [
          ...(type === 'email' ? [' inputmode="email" spellcheck="false" autocapitalize="none"'] : []),
          ...(readOnly === true ? [' readonly'] : []),
          ...(focus === true ? [' autofocus'] : []),
          ...(error === undefined ? [] : [' aria-invalid="true"']),
          ...(described.length === 0 ? [] : [` aria-describedby="${described.join(' ')}"`]),
        ].join(''),
      )}
    />
    ${error !== undefined && html`<span class="wrong" id="${name}-error">${error}</span>`}
    ${hint !== undefined && error === undefined && html`<span class="hint" id="${name}-hint">${hint}</span>`}
  </div>`;
}
