/** Where a delivery stands. `ended`: its endpoint was deleted before it was delivered. */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'ended'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];
