import type { Account } from '@renderkit/contract/v1/schemas/account.ts';
import { ReferenceInput } from '../media/ReferenceInput.tsx';
import type { Reference } from '../media/reference.ts';
import type { Need } from './form-fields.ts';
import type { FormControl } from './use-form.ts';

type SourceFieldsProps = {
  form: FormControl;
  capabilities: Account['capabilities'] | undefined;
  /** Required sources are shown before the prompt, optional ones after it. */
  need: Exclude<Need, 'none'>;
};
type SingleField = 'image' | 'start_image' | 'end_image' | 'source_video' | 'video';

/** The images, videos and audio files that the kind and model accept. */
export function SourceFields({ form, capabilities, need: wanted }: SourceFieldsProps) {
  const { fields } = form;
  const { sourceVideo, audios } = fields;
  const noImages = capabilities?.uploads === false;
  const noVideos = noImages || capabilities?.video_upload === false;
  const single = (
    field: SingleField,
    label: string,
    need: Need,
    more: Partial<Parameters<typeof ReferenceInput>[0]> = {},
  ) =>
    need === wanted && <SingleReference {...{ form, field, label, need }} noUploads={noImages} {...more} />;
  return (
    <>
      {single('video', 'Video to go on from', fields.video, {
        type: 'video',
        libraryOnly: true,
        noUploads: false,
      })}
      {single('image', 'Picture to change', fields.image, { takesPaste: true })}
      {single('start_image', 'First frame', fields.startImage, { takesPaste: true })}
      {single('end_image', 'Last frame', fields.endImage)}
      {single('source_video', 'Source video', sourceVideo === null ? 'none' : 'optional', {
        type: 'video',
        noUploads: noVideos,
        takesPaste: fields.startImage === 'none' && fields.referenceImages === 0,
        description: sourceVideo === null ? '' : limitsOf(sourceVideo),
      })}
      {wanted === 'optional' && fields.referenceImages > 0 && (
        <div data-field="reference_images">
          <ReferenceInput
            label="Reference pictures"
            description={`Pictures to go by, ${fields.referenceImages} at most.`}
            type="image"
            max={fields.referenceImages}
            references={form.values.reference_images}
            onChange={(change) => form.change('reference_images', change)}
            error={form.errorOf('reference_images')}
            takesPaste={fields.image === 'none' && fields.startImage === 'none'}
            noUploads={noImages}
          />
        </div>
      )}
      {wanted === 'optional' && audios !== undefined && (
        <div data-field="reference_audios">
          <ReferenceInput
            label="Audio"
            description={`Files to go by, ${audios.max} at most, of up to ${audios.seconds} s each.`}
            type="audio"
            max={audios.max}
            references={form.values.reference_audios}
            onChange={(change) => form.change('reference_audios', change)}
            error={form.errorOf('reference_audios')}
            noUploads={noImages || capabilities?.audio_upload === false}
          />
        </div>
      )}
    </>
  );
}

type SingleReferenceProps = { form: FormControl; field: SingleField; need: Need } & Partial<
  Parameters<typeof ReferenceInput>[0]
> & { label: string };

function SingleReference({ form, field, need, label, ...rest }: SingleReferenceProps) {
  const reference = form.values[field];
  return (
    <div data-field={field}>
      <ReferenceInput
        type="image"
        {...rest}
        label={label}
        max={1}
        required={need === 'required'}
        references={reference === undefined ? [] : [reference]}
        onChange={(change) =>
          form.change(field, (before): Reference | undefined =>
            change(before === undefined ? [] : [before]).at(-1),
          )
        }
        error={form.errorOf(field)}
      />
    </div>
  );
}

function limitsOf(video: NonNullable<FormControl['fields']['sourceVideo']>): string {
  const { max_duration: seconds, min_width: width, min_height: height, max_filesize_mb: megabytes } = video;
  return [
    `Up to ${seconds} s`,
    ...(width === null || height === null ? [] : [`at least ${width} × ${height} pixels`]),
    ...(megabytes === null ? [] : [`up to ${megabytes} MB`]),
  ].join(', ');
}
