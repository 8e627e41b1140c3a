import { Stack } from '@mantine/core';
import type { Asset } from '@renderkit/contract/v1/schemas/asset.ts';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Id } from '../ui/Id.tsx';
import { Time } from '../ui/Time.tsx';
import { CreateFrame } from './CreateFrame.tsx';
import { DeleteItem } from './DeleteItem.tsx';
import { FavoriteButton } from './FavoriteButton.tsx';
import { ItemActions } from './ItemActions.tsx';
import { itemOfAsset } from './media-item.ts';

/** How an item of the library was made, for people. */
const origins: Record<string, string> = {
  image: 'Generated image',
  image_edit: 'Edited image',
  video: 'Generated video',
  video_extend: 'Continued video',
  frame: 'Still of a video',
};

type AssetDetailsProps = {
  asset: Asset;
  /** Title of its project, where known. */
  project: string | undefined;
  onDeleted: () => void;
};

/** What is known about one item of the library, and what can be done with it. */
export function AssetDetails({ asset, project, onDeleted }: AssetDetailsProps) {
  const item = itemOfAsset(asset);
  const origin = asset.generation_type;
  return (
    <Stack gap="md">
      <ItemActions item={item}>
        <FavoriteButton item={item} favorite={asset.favorite} />
        {item.type === 'video' && <CreateFrame item={item} projectId={asset.project_id} />}
        <DeleteItem item={item} onDeleted={onDeleted} />
      </ItemActions>
      <DescriptionList
        items={[
          ['Made', <Time key="made" at={asset.created_at} />],
          ['As', origin === null ? undefined : (origins[origin] ?? origin)],
          ['Ratio', asset.aspect_ratio ?? undefined],
          ['Project', project ?? asset.project_id ?? undefined],
          ['Id', <Id key="id" id={asset.id} what="id" />],
        ]}
      />
    </Stack>
  );
}
