import MacrologNutrition
import MacrologTerminal

/// A chart as a picture of 800 by 400 points.
extension Chart {
    /// The chart as a list of marks.
    public var picture: Picture {
        var picture = Picture(
            width: 8_000, height: 4_000, corner: 120,
            title: "\(title), \(days.lowerBound) to \(days.upperBound)")
        picture.add(
            "\(title), \(unit)", .ink, size: 180, isBold: true,
            at: Picture.Point(240, 360))
        picture.add(
            "\(days.lowerBound) – \(days.upperBound)", .quiet, size: 120, .right,
            at: Picture.Point(7_760, 360))
        addScale(to: &picture)
        for (layer, one) in plot.series.enumerated() { add(one, layer, to: &picture) }
        addTargets(to: &picture)
        addLegend(to: &picture)
        return picture
    }

    /// The middle of a day, between 720 and 7,760.
    private func x(_ index: Int) -> Int64 {
        720 + (Int64(index) * 2 + 1) * 7_040 / (Int64(plot.count) * 2)
    }

    /// The left edge of a day.
    private func x(edge index: Int) -> Int64 { 720 + Int64(index) * 7_040 / Int64(plot.count) }

    /// The vertical position of a value: from 3,200 up to 600.
    private func y(_ value: Int64) -> Int64 {
        let range = plot.scale.high - plot.scale.low
        return 3_200 - Rounding.scaled(value - plot.scale.low, by: 2_600, over: max(range, 1))
    }

    /// The marks of the scale, and the names of seven days at most.
    private func addScale(to picture: inout Picture) {
        for mark in plot.marks {
            let y = y(mark)
            picture.add(Self.row(from: 720, to: 7_760, y), width: 10, .grid)
            picture.add(
                NumberFormat.grouped.text(mark, scale: 3), .quiet, size: 120, .right,
                at: Picture.Point(640, y + 40))
        }
        let every = max(1, (plot.count + 6) / 7)
        for (day, index) in zip(days, 0...) where index % every == 0 {
            picture.add(
                String(day.short.dropFirst(4)), .quiet, size: 120, .middle,
                at: Picture.Point(x(index), 3_420))
        }
    }

    /// A line for each run of days with the same target.
    private func addTargets(to picture: inout Picture) {
        var from = 0
        while from < plot.targets.count {
            let target = plot.targets[from]
            let through = plot.targets[from...].firstIndex { $0 != target } ?? plot.targets.count
            if let target {
                let line = Self.row(from: x(edge: from), to: x(edge: through), y(target))
                picture.add(line, width: 20, isDashed: true, .target)
            }
            from = through
        }
    }

    private func add(_ one: Plot.Series, _ layer: Int, to picture: inout Picture) {
        let points = zip(one.values, 0...).compactMap { value, index in
            value.map { Picture.Point(x(index), y($0)) }
        }
        switch one.shape {
        case .dots: for point in points { picture.add(Self.dot(point), corner: 35, .dot) }
        case .line: picture.add(points, width: 30, .first)
        case .columns: for index in 0..<plot.count { addColumn(one, layer, index, to: &picture) }
        }
    }

    private func addColumn(
        _ one: Plot.Series, _ layer: Int, _ index: Int, to picture: inout Picture
    ) {
        guard let value = one.values[index], value > 0 else { return }
        let below = plot.series[..<layer].reduce(0) { $0 + ($1.values[index] ?? 0) }
        let width = max(10, min(7_040 / Int64(plot.count) * 7 / 10, 400))
        let (top, bottom) = (y(below + value), y(below))
        let column = Picture.Box(
            x: x(index) - width / 2, y: top, width: width, height: bottom - top)
        let amount = NumberFormat.grouped.text(value, scale: 3, decimals: 0)
        picture.add(
            column, Self.color(layer),
            says: "\(days.lowerBound.advanced(by: index)) \(one.name) \(amount) \(unit)")
    }

    private func addLegend(to picture: inout Picture) {
        var left: Int64 = 720
        for (layer, one) in plot.series.enumerated() {
            switch one.shape {
            case .line: picture.add(Self.row(from: left, to: left + 160, 3_720), width: 30, .first)
            case .dots: picture.add(Self.dot(Picture.Point(left + 80, 3_720)), corner: 35, .dot)
            case .columns:
                let sign = Picture.Box(x: left + 20, y: 3_660, width: 120, height: 120)
                picture.add(sign, corner: 20, Self.color(layer))
            }
            picture.add(one.name, .quiet, size: 120, at: Picture.Point(left + 240, 3_760))
            left += 480 + Int64(one.name.utf8.count) * 80
        }
        guard let targetText else { return }
        let line = Self.row(from: left, to: left + 160, 3_720)
        picture.add(line, width: 20, isDashed: true, .target)
        picture.add(targetText, .quiet, size: 120, at: Picture.Point(left + 240, 3_760))
    }

    private static func row(from left: Int64, to right: Int64, _ y: Int64) -> [Picture.Point] {
        [Picture.Point(left, y), Picture.Point(right, y)]
    }

    private static func dot(_ middle: Picture.Point) -> Picture.Box {
        Picture.Box(x: middle.x - 35, y: middle.y - 35, width: 70, height: 70)
    }

    private static func color(_ layer: Int) -> Picture.Color {
        [.first, .second, .third][min(layer, 2)]
    }
}
