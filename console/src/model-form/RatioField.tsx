import { ChoiceField, type ChoiceItem } from './ChoiceField.tsx';
import classes from './choice-field.module.css';
import { shapeOf } from './ratio-shape.ts';
import type { FormControl } from './use-form.ts';

/** Side of the square in which a ratio is drawn. */
const side = 24;
const ofSource = 'source';

/** The aspect ratio of the outputs. Each choice shows its shape. */
export function RatioField({ form }: { form: FormControl }) {
  const { ratios, keepsSource } = form.fields;
  const source = form.values.image ?? form.values.start_image ?? form.values.source_video;
  // Without a source there is no ratio to keep. The first ratio is then the default.
  const offersSource = keepsSource && (form.fields.image !== 'none' || source !== undefined);
  const [first] = ratios;
  if (first === undefined || (ratios.length === 1 && !offersSource)) return null;
  const items: ChoiceItem[] = ratios.map(({ ratio, width, height }) => ({
    value: ratio,
    label: ratio,
    hint: width > 64 ? `${width} × ${height} pixels` : undefined,
    icon: <Shape width={width} height={height} />,
  }));
  if (offersSource)
    items.unshift({ value: ofSource, label: 'Source', icon: <Shape width={4} height={3} dashed /> });
  return (
    <ChoiceField
      label="Aspect ratio"
      items={items}
      value={form.values.aspect_ratio ?? (offersSource ? ofSource : first.ratio)}
      onChange={(value) => form.set('aspect_ratio', value === ofSource ? undefined : value)}
      error={form.errorOf('aspect_ratio')}
    />
  );
}

function Shape({ width, height, dashed = false }: { width: number; height: number; dashed?: boolean }) {
  const shape = shapeOf({ width, height }, side, 4);
  return (
    <span className={classes['box']} aria-hidden="true">
      <span className={`${classes['shape']} ${dashed ? classes['source'] : ''}`} style={shape} />
    </span>
  );
}
