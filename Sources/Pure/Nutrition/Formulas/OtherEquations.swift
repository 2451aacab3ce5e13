/// Equations that no target is computed from, so that a person can see how far published equations
/// lie apart. They are never mixed with those of ``RestingEnergy``.
package enum OtherEquations {
    /// One equation and its result, in thousandths of a kilocalorie per day.
    public struct Entry: Hashable, Sendable {
        /// The equation's name.
        public let name: String
        /// Thousandths of a kilocalorie per day.
        public let millikilocalories: Int64
        /// Whether it is the energy of a whole day, movement included, rather than that of rest.
        public let isWholeDay: Bool
    }

    /// What every equation gives for which enough is known, those of ``RestingEnergy`` first. Age and
    /// sex are not assumed here: without them only the equations of lean mass are left.
    public static func compare(_ body: Body, level: ActivityLevel = .sedentary) -> [Entry] {
        guard let grams = body.weightGrams, grams > 0 else { return [] }
        var entries: [Entry] = []
        func add(_ name: String, _ energy: Int64, isWholeDay: Bool = false) {
            entries.append(Entry(name: name, millikilocalories: energy, isWholeDay: isWholeDay))
        }
        if let fat = body.bodyFatBasisPoints {
            add("Katch-McArdle", RestingEnergy.katchMcArdle(grams: grams, bodyFatBasisPoints: fat))
            add("Cunningham", RestingEnergy.cunningham(grams: grams, bodyFatBasisPoints: fat))
        }
        guard let sex = body.sex, sex != .unspecified else { return entries }
        let isMale = sex == .male
        add("Oxford, simplified", oxford(grams: grams, isMale: isMale))
        guard let height = body.heightMillimeters, let age = body.age.map({ Int64($0) }) else {
            return entries
        }
        add(
            "Mifflin-St Jeor",
            RestingEnergy.mifflin(grams: grams, millimeters: height, age: age, isMale: isMale))
        add(
            "Mifflin-St Jeor, original coefficients",
            mifflinOriginal(grams: grams, millimeters: height, age: age, isMale: isMale))
        add(
            "Harris-Benedict, revised 1984",
            RestingEnergy.harrisBenedict(
                grams: grams, millimeters: height, age: age, isMale: isMale))
        add(
            "IOM 2005, whole day",
            dailyEnergyIOM(
                grams: grams, millimeters: height, age: age, isMale: isMale, level: level),
            isWholeDay: true)
        return entries
    }

    /// `9.99 W + 6.25 H − 4.92 A + 5` for men, `− 161` for women (kg, cm, years), in mkcal. It differs
    /// from the simplified form by less than 2 kcal: 1,781.6 where that gives 1,780.
    ///
    /// Source: Mifflin et al., American Journal of Clinical Nutrition 51 (1990) 241.
    public static func mifflinOriginal(
        grams: Int64, millimeters: Int64, age: Int64, isMale: Bool
    ) -> Int64 {
        let hundredths =
            999 * Int128(grams) + 62_500 * Int128(millimeters) - 492_000 * Int128(age)
            + (isMale ? 500_000 : -16_100_000)
        return Rounding.clamped(Rounding.halfEven(hundredths, over: 100))
    }

    /// `14.2 W + 593` for men, `10.9 W + 677` for women (kg), in mkcal, half to even.
    ///
    /// Source: Henry, Public Health Nutrition 8 (2005) 1133, as widely simplified to one line a sex.
    public static func oxford(grams: Int64, isMale: Bool) -> Int64 {
        let tenths = Int128(grams) * (isMale ? 142 : 109) + (isMale ? 5_930_000 : 6_770_000)
        return Rounding.clamped(Rounding.halfEven(tenths, over: 10))
    }

    /// `864 − 9.72 A + PA (14.2 W + 503 h)` for men, `387 − 7.31 A + PA (10.9 W + 660.7 h)` for women
    /// (kg, m, years), in mkcal, half to even: the energy of a whole day, movement included. PA is
    /// 1.0, 1.12 (men) or 1.14, 1.27, and 1.54 or 1.45 for very active people.
    ///
    /// Source: Institute of Medicine, "Dietary Reference Intakes" (2005), page 204.
    public static func dailyEnergyIOM(
        grams: Int64, millimeters: Int64, age: Int64, isMale: Bool, level: ActivityLevel
    ) -> Int64 {
        let factor: Int128 =
            switch level {
            case .sedentary: 100
            case .light: isMale ? 112 : 114
            case .moderate: 127
            case .active, .athlete: isMale ? 154 : 145
            }
        let mass = Int128(grams) * (isMale ? 142 : 109)
        let height = Int128(millimeters) * (isMale ? 5_030 : 6_607)
        let rest: Int128 = isMale ? 864_000 - 9_720 * Int128(age) : 387_000 - 7_310 * Int128(age)
        return Rounding.clamped(
            rest + Rounding.halfEven(factor * (mass + height), over: 1_000))
    }
}
