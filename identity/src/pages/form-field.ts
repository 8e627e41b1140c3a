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

type More = Omit<Field, 'name' | 'label' | 'type' | 'complete'>;

/** The address that names an account; programs that keep passwords look for it beside them. */
export function emailField(more: More): Html {
  return field({ name: 'email', label: 'E-mail address', type: 'email', complete: 'username', ...more });
}

/** A password that somebody makes up. Asked for once: a mistake costs another try, and nobody copies one field into the next. */
export function newPasswordField(label: string, more: More): Html {
  return field({ name: 'password', label, type: 'password', complete: 'new-password', ...more });
}

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
