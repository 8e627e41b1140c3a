import { Stack, Text } from '@mantine/core';
import type { LibraryItem } from '@renderkit/contract/console/schemas/library.ts';
import { useQuery } from '@tanstack/react-query';
import { v1Query } from '../../api/queries.ts';
import { ProvenanceOf } from '../../generations/Provenance.tsx';
import { CreateFrame } from '../../media/CreateFrame.tsx';
import { DeleteItem } from '../../media/DeleteItem.tsx';
import { FavoriteButton } from '../../media/FavoriteButton.tsx';
import { ItemActions } from '../../media/ItemActions.tsx';
import { itemOfAsset } from '../../media/media-item.ts';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { Id } from '../../ui/Id.tsx';
import { TextLink } from '../../ui/TextLink.tsx';
import { Time } from '../../ui/Time.tsx';

/** The actions on an item of the library, and its provenance. */
export function ItemDetails({ item, onDeleted }: { item: LibraryItem; onDeleted: () => void }) {
  const { asset, prompt, generation_id: generationId, frame_of: frameOf } = item;
  const media = itemOfAsset(asset);
  return (
    <Stack gap="md">
      <ItemActions item={media}>
        <FavoriteButton item={media} favorite={asset.favorite} />
        {media.type === 'video' && <CreateFrame item={media} projectId={asset.project_id} />}
        <DeleteItem item={media} onDeleted={onDeleted} />
      </ItemActions>
      {generationId === null ? (
        prompt !== null && <Text fz="sm">{prompt}</Text>
      ) : (
        <ProvenanceOf id={generationId} output={asset.id} />
      )}
      <DescriptionList
        items={[
          ['Made', <Time key="made" at={asset.created_at} />],
          [
            'Frame of',
            frameOf === null ? undefined : (
              <TextLink key="frame" to="/library" search={{ item: frameOf }}>
                a video
              </TextLink>
            ),
          ],
          ['Ratio', asset.aspect_ratio ?? undefined],
          [
            'Project',
            asset.project_id === null ? undefined : <ProjectLink key="project" id={asset.project_id} />,
          ],
          ['Id', <Id key="id" id={asset.id} what="id" />],
        ]}
      />
    </Stack>
  );
}

function ProjectLink({ id }: { id: string }) {
  const project = useQuery({
    ...v1Query('getProject', { params: { id } }),
    placeholderData: undefined,
    retry: false,
  });
  return (
    <TextLink to="/projects/$id" params={{ id }}>
      {project.data?.title ?? id}
    </TextLink>
  );
}
