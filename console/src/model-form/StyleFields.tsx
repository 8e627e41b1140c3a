import { Chip, Group, Input, Stack, Text } from '@mantine/core';
import { categoryOf } from '@renderkit/contract/studio/validate-choices.ts';
import { maxStyles } from '@renderkit/contract/v1/limits.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Suggestion } from '@renderkit/contract/v1/schemas/suggestion.ts';
import { kinds } from '../generations/kind-labels.ts';
import type { Choices } from './fit-values.ts';
import type { FormControl } from './use-form.ts';

type StyleFieldsProps = { form: FormControl; choices: Choices };

/** The styles of a request, at most three. */
export function StylesField({ form, choices }: StyleFieldsProps) {
  const chosen = form.values.styles;
  const styles = choices.styles?.filter(({ type }) => type === form.fields.styleType) ?? [];
  if (styles.length === 0) return null;
  return (
    <Input.Wrapper
      label={`Styles (${chosen.length} of ${maxStyles})`}
      labelElement="div"
      error={form.errorOf('styles')}
      role="group"
      aria-label="Styles"
    >
      <Chip.Group multiple value={chosen} onChange={(value) => form.set('styles', value)}>
        <Group gap={6} mt={4}>
          {styles.map(({ id, name, custom }) => (
            <Chip key={id} value={id} size="xs" disabled={chosen.length >= maxStyles && !chosen.includes(id)}>
              {name}
              {custom ? ' (own)' : ''}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  );
}

/** Words to add to the prompt, at most one of each category. */
export function SuggestionsField({ form, choices, kind }: StyleFieldsProps & { kind: GenerationKind }) {
  const categories = categoriesFor(choices.suggestions ?? [], kind);
  const chosen = form.values.suggestions;
  if (categories.length === 0) return null;
  const toggle = ({ suggestions }: Category, id: string) => {
    const others = chosen.filter((one) => !suggestions.some((suggestion) => suggestion.id === one));
    form.set('suggestions', chosen.includes(id) ? others : [...others, id]);
  };
  return (
    <Input.Wrapper
      label="Suggestions"
      labelElement="div"
      description="Words that are added to the prompt, one of each row."
      error={form.errorOf('suggestions')}
      role="group"
      aria-label="Suggestions"
    >
      <Stack gap={8} mt={6}>
        {categories.map((category) => (
          <Group key={category.id} gap={6} role="group" aria-label={category.name}>
            <Text fz="xs" c="dimmed" w="4.2rem">
              {category.name}
            </Text>
            {category.suggestions.map(({ id, name }) => (
              <Chip key={id} size="xs" checked={chosen.includes(id)} onChange={() => toggle(category, id)}>
                {name}
              </Chip>
            ))}
          </Group>
        ))}
      </Stack>
    </Input.Wrapper>
  );
}

type Category = { id: string; name: string; suggestions: Suggestion[] };

function categoriesFor(suggestions: readonly Suggestion[], kind: GenerationKind): Category[] {
  const categories = new Map<string, Category>();
  for (const suggestion of suggestions) {
    if (!suggestion.suites.includes(kinds[kind].suite)) continue;
    const id = categoryOf(suggestion);
    const category = categories.get(id) ?? { id, name: suggestion.category ?? 'Others', suggestions: [] };
    category.suggestions.push(suggestion);
    categories.set(id, category);
  }
  return [...categories.values()];
}
