import { Html, html } from './html.ts';

export type Field = {
  name: string;
  label: string;
  type: 'email' | 'password' | 'text';
  /** Token for the `autocomplete` attribute. */
  complete: string;
  value?: string | undefined;
  error?: string | undefined;
  hint?: string;
  focus?: boolean;
  describedBy?: string | undefined;
  readOnly?: boolean;
};

type More = Omit<Field, 'name' | 'label' | 'type' | 'complete'>;

/** The field for the address of an account. Password managers look for it next to the password. */
export function emailField(more: More): Html {
  return field({ name: 'email', label: 'E-mail address', type: 'email', complete: 'username', ...more });
}

/**
 * A field for a new password. There is no second field for it: a mistake costs one more try, and people would only copy
 * the first field.
 */
export function newPasswordField(label: string, more: More): Html {
  return field({ name: 'password', label, type: 'password', complete: 'new-password', ...more });
}

/** A labelled input, with its error below, or else with a hint. */
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
