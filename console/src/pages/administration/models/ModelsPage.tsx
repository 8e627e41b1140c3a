import { Button, FileButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { consoleQuery, live } from '../../../api/queries.ts';
import { FileDrop } from '../../../ui/FileDrop.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { Page } from '../../../ui/Page.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { ImportModal, importedTypes } from './ImportModal.tsx';
import { ModelsTable } from './ModelsTable.tsx';

/**
 * The models that users can choose, and those that they cannot choose yet or any longer. A file that is dropped
 * anywhere is imported.
 */
export function ModelsPage() {
  const models = useQuery({ ...consoleQuery('listManagedModels', {}), refetchInterval: live });
  const [file, setFile] = useState<File>();
  return (
    <Page
      title="Models"
      description="Drop a ComfyUI workflow anywhere on this page, or an image or video that ComfyUI has made, or a manifest: it becomes a draft, which nobody is offered before you publish it."
      actions={
        <FileButton accept={importedTypes} onChange={(chosen) => chosen !== null && setFile(chosen)}>
          {(button) => (
            <Button {...button} leftSection={<Icon name="upload" size={14} />}>
              Import a workflow
            </Button>
          )}
        </FileButton>
      }
    >
      {models.error !== null && <ProblemAlert error={models.error} title="The models could not be read" />}
      {models.isPending && <ListSkeleton />}
      {models.data !== undefined && <ModelsTable models={models.data.models} />}
      <FileDrop label="Let go to import it" onFile={setFile} />
      <ImportModal file={file} onClose={() => setFile(undefined)} />
    </Page>
  );
}
