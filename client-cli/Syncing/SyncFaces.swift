import Macrolog
import MacrologFaces

// The state of syncing as it is shown.

extension SyncStatus {
    var face: SyncStatusFace {
        SyncStatusFace(
            unsealed: unsealed, cursor: cursor, head: head, lastSuccess: lastSuccess,
            lastError: lastError, lastRecovery: lastRecovery?.face, lastRepair: lastRepair?.face,
            sinceSuccess: sinceSuccess, failingFor: failingFor, isOffline: isOffline,
            receiptsAge: receipts?.age, receipts: receipts?.devices.map(\.face),
            clockLead: clock?.lead, lastRotation: lastRotation)
    }
}

extension DeviceReceipt {
    fileprivate var face: DeviceReceiptFace {
        DeviceReceiptFace(
            session: session, name: name, device: device, holds: holds, lacks: lacks,
            lastSeen: lastSeen, isThis: isThis)
    }
}

extension SyncRecovery {
    fileprivate var face: SyncRecoveryFace {
        SyncRecoveryFace(time: time, givenBack: givenBack, reissued: reissued)
    }
}

extension SyncRepair {
    fileprivate var face: SyncRepairFace {
        SyncRepairFace(
            time: time, fetched: fetched, first: first, last: last, rebuilt: rebuilt, lost: lost)
    }
}
