import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export type Column<Row> = {
  /** The head of the column. */
  title: string;
  /** In place of the title, where the head is more than text. */
  head?: ReactNode;
  /** Only screen readers read the title: for a column of buttons. */
  hideTitle?: boolean;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  /** Left out on narrow screens. */
  wideOnly?: boolean;
  width?: string;
};

type DataTableProps<Row> = {
  /** Names the table for those who do not see it. */
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** These rows are shown while others load. */
  stale?: boolean;
  /** Below the rows. */
  footer?: ReactNode;
};

/** The contents of a cell on one line. */
export function NoWrap({ children }: { children: ReactNode }) {
  return <span style={{ whiteSpace: 'nowrap' }}>{children}</span>;
}

/** A table that scrolls within its own frame when the screen is narrow. */
export function DataTable<Row>({ label, columns, rows, rowKey, stale, footer }: DataTableProps<Row>) {
  const className = (column: Column<Row>) =>
    column.wideOnly === true
      ? classes['wideOnly']
      : column.hideTitle === true
        ? classes['actions']
        : undefined;
  return (
    <div className={classes['frame']} data-stale={stale}>
      <div className={classes['scroll']} role="region" aria-label={label} tabIndex={0}>
        <Table aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th
                  key={column.title}
                  scope="col"
                  className={className(column)}
                  ta={column.align}
                  w={column.width}
                >
                  {column.head ?? (
                    <span className={column.hideTitle === true ? classes['visuallyHidden'] : undefined}>
                      {column.title}
                    </span>
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={rowKey(row)}>
                {columns.map((column) => (
                  <Table.Td key={column.title} className={className(column)} ta={column.align}>
                    {column.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {footer}
    </div>
  );
}
