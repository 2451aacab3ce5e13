import MacrologEvents

/// Small histories of one entity, each showing one rule of merging.
extension VectorExamples {
    /// An event and its seal; `nil` while it waits.
    typealias Sealed = (event: Event, seal: Seal?)

    private static func sealed(
        _ n: Int64, t: Int64, _ dot: (Identifier, Int64), base: Int64 = 0,
        _ operations: MacrologEvents.CellOperation...
    ) -> Sealed {
        (event(dot, base: base, operations), Seal(n: n, t: t))
    }

    static var registers: [(name: String, events: [Sealed])] {
        let lunch = MacrologEvents.CellOperation.add(field: "tags", element: "lunch")
        let noLunch = MacrologEvents.CellOperation.remove(field: "tags", element: "lunch")
        return [
            ("nothing", []),
            (
                "the later of two that knew each other wins without a conflict",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 20, (b, 1), base: 1, .set(["name": "Porridge"])),
                ]
            ),
            (
                "of two that did not, the later wins and the other is listed",
                [
                    sealed(1, t: 20, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 10, (b, 1), .set(["name": "Porridge"])),
                ]
            ),
            (
                "different fields of one entity both change",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats", "energy_cal": 1])),
                    sealed(2, t: 20, (b, 1), base: 1, .set(["energy_cal": 2])),
                    sealed(3, t: 30, (a, 2), base: 1, .set(["name": "Porridge"])),
                ]
            ),
            (
                "equal times: the greater device wins",
                [
                    sealed(1, t: 10, (b, 1), .set(["name": "b"])),
                    sealed(2, t: 10, (a, 1), .set(["name": "a"])),
                ]
            ),
            (
                "equal values are no conflict",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 10, (b, 1), .set(["name": "Oats"])),
                ]
            ),
            (
                "a loser of the winner's value is not listed beside one of another value",
                [
                    sealed(1, t: 30, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 20, (b, 1), .set(["name": "Porridge"])),
                    sealed(3, t: 10, (c, 1), .set(["name": "Oats"])),
                ]
            ),
            (
                "one write that saw both resolves a conflict",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 20, (b, 1), .set(["name": "Porridge"])),
                    sealed(3, t: 30, (c, 1), base: 2, .set(["name": "Oats"])),
                ]
            ),
            (
                "three writers, one of whom knew another",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "a"])),
                    sealed(2, t: 20, (b, 1), base: 1, .set(["name": "b"])),
                    sealed(3, t: 15, (c, 1), .set(["name": "c"])),
                ]
            ),
            (
                "an addition wins over a removal that had not seen it",
                [
                    sealed(1, t: 10, (a, 1), lunch), sealed(2, t: 20, (b, 1), base: 1, noLunch),
                    sealed(3, t: 15, (a, 2), base: 1, lunch),
                ]
            ),
            (
                "a removal takes out what it had seen",
                [
                    sealed(1, t: 10, (a, 1), lunch), sealed(2, t: 20, (b, 1), base: 1, noLunch),
                ]
            ),
            (
                "texts that look alike are two fields and two members",
                [
                    sealed(1, t: 10, (a, 1), .set(["\u{C5}": 1])),
                    sealed(2, t: 20, (b, 1), base: 1, .set(["\u{212B}": 2])),
                    sealed(
                        3, t: 30, (b, 2), base: 2, .add(field: "tags", element: "\u{C5}"),
                        .add(field: "tags", element: "\u{212B}")),
                    sealed(4, t: 40, (a, 2), base: 3, .remove(field: "tags", element: "\u{C5}")),
                ]
            ),
            (
                "a deletion hides what it had seen",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 20, (b, 1), base: 1, .delete),
                ]
            ),
            (
                "an edit that the deletion had not seen keeps the entity, and both are listed",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 30, (b, 1), base: 1, .delete),
                    sealed(3, t: 20, (a, 2), base: 1, .set(["energy_cal": 5])),
                ]
            ),
            (
                "an edit after the deletion brings the entity back",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 20, (b, 1), base: 1, .delete),
                    sealed(3, t: 30, (a, 2), base: 2, .set(["energy_cal": 5])),
                ]
            ),
            (
                "a restoration undoes a deletion, and a later deletion counts again",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 20, (b, 1), base: 1, .delete),
                    sealed(3, t: 30, (a, 2), base: 2, .restore),
                    sealed(4, t: 40, (b, 2), base: 3, .delete),
                ]
            ),
            (
                "a restoration beside a deletion wins",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 20, (b, 1), base: 1, .delete),
                    sealed(3, t: 30, (c, 1), base: 2, .restore),
                    sealed(4, t: 40, (b, 2), base: 2, .delete),
                ]
            ),
            (
                "two deletions that together saw every change",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 20, (b, 1), .set(["energy_cal": 5])),
                    sealed(3, t: 30, (a, 2), .delete), sealed(4, t: 40, (b, 2), .delete),
                ]
            ),
            (
                "a verb of a newer version marks the entity and counts as a change",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 20, (b, 1), base: 1, .unknown(verb: 9, arguments: [1])),
                    sealed(3, t: 30, (a, 2), base: 1, .delete),
                ]
            ),
            (
                "an own event that waits wins over everything sealed, and is no conflict yet",
                [
                    sealed(1, t: 10, (a, 1), .set(["name": "Oats"])),
                    sealed(2, t: 99, (b, 1), base: 1, .set(["name": "Porridge"])),
                    (event((a, 2), base: 1, [.set(["name": "Muesli"])]), nil),
                ]
            ),
        ]
    }
}
