import { createFields, type Model } from './objects.generated.ts';

/** The type of value in a field. A string may also be a number. */
export type FieldForm = (typeof createFields)[keyof typeof createFields];

/**
 * Returns the type of value in a field of the creates of images, edits and videos. `undefined` where no field has this
 * name.
 */
export function formOfField(name: string): FieldForm | undefined {
  return Object.hasOwn(createFields, name) ? createFields[name as keyof typeof createFields] : undefined;
}

/** Returns the aspect ratios that a model accepts for pictures and videos. */
export function ratiosOf({ parameters }: Model): string[] {
  return [
    ...new Set([...parameters.aspect_ratios.map(({ ratio }) => ratio), ...parameters.video_aspect_ratios]),
  ];
}

/**
 * Returns a JSON Schema of the fields of a create whose values depend on the model. The service validates all other
 * fields.
 */
export function modelSchema(model: Model): Record<string, unknown> {
  const { durations, max_reference_images: references, options, frames } = model.parameters;
  const ratios = ratiosOf(model);
  const required = [
    ...(model.prompt_required ? ['prompt'] : []),
    ...(frames.start_required ? ['start_image'] : []),
    ...(frames.end_required ? ['end_image'] : []),
  ];
  return {
    type: 'object',
    properties: {
      model: { const: model.id },
      prompt: { type: 'string' },
      ...(ratios.length > 0 && { aspect_ratio: { enum: ratios } }),
      ...(durations.length > 0 && { duration: { enum: durations.map(({ value }) => Number(value)) } }),
      ...(references > 0 && { reference_images: { type: 'array', maxItems: references } }),
      ...(frames.start && { start_image: { type: 'string' } }),
      ...(frames.end && { end_image: { type: 'string' } }),
      ...(model.inpaint && { mask: { type: 'string' } }),
      ...(options.length > 0 && {
        options: {
          type: 'object',
          additionalProperties: false,
          properties: Object.fromEntries(options.map((option) => [option.key, schemaOfOption(option)])),
        },
      }),
    },
    required,
  };
}

type ModelOption = Model['parameters']['options'][number];

/** `contract/studio/validate.ts` decides which values of an option the service accepts. */
function schemaOfOption(option: ModelOption): Record<string, unknown> {
  const { name: title, default: fallback } = option;
  switch (option.type) {
    case 'select':
      return { title, enum: option.values?.map(({ value }) => value) ?? [], default: fallback };
    case 'toggle':
      return { title, type: 'boolean', default: fallback === 1 };
    case 'slider':
      return {
        title,
        type: 'number',
        minimum: option.min,
        maximum: option.max,
        multipleOf: option.step,
        default: fallback,
      };
    case 'text':
      return { title, type: 'string', maxLength: option.max_length, default: fallback };
  }
}

/**
 * Returns the text of a `.d.ts` file that declares these models. With it, the editor completes `model` and TypeScript
 * checks `options` in calls of this client.
 */
export function modelTypes(models: readonly Model[]): string {
  const entries = models.map((model) => {
    const { options } = model.parameters;
    const fields = options.map(
      (option) => `        ${JSON.stringify(option.key)}?: ${typeOfOption(option)};\n`,
    );
    const type = fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('')}      }`;
    return `    /** ${commentOf(model)} */\n    ${JSON.stringify(model.id)}: {\n      options: ${type};\n    };\n`;
  });
  return `import 'renderkit';\n\ndeclare module 'renderkit' {\n  interface RenderkitModels {\n${entries.join('')}  }\n}\n`;
}

function typeOfOption(option: ModelOption): string {
  switch (option.type) {
    case 'select':
      return (option.values ?? []).map(({ value }) => JSON.stringify(value)).join(' | ') || 'never';
    case 'toggle':
      return 'boolean';
    case 'slider':
      return 'number';
    case 'text':
      return 'string';
  }
}

/** The operator chooses names and descriptions, so this function makes sure that they cannot end the comment. */
function commentOf({ name, suites }: Model): string {
  return `${name}: ${suites.join(', ')}`.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ');
}
