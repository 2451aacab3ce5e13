public import MacrologEvents

/// The energy a body uses at rest in a day, estimated by a published equation.
public struct RestingEnergy: Hashable, Sendable {
    /// A value that an equation assumes because it is unknown. Weight is never assumed.
    public enum Assumption: Hashable, Sendable {
        /// An age of 30 years.
        case age
        /// Female.
        case sex
        /// A height of 178 cm (male) or 165 cm (female).
        case height
        /// A resting energy of 1,800 kcal: nothing was computed.
        case everything
    }

    /// Thousandths of a kilocalorie per day.
    public let millikilocalories: Int64
    /// The equation; `auto` when nothing was computed.
    package let formula: RestingFormula
    /// The assumptions; empty if everything was known.
    public let assumptions: [Assumption]

    /// 1,800 kcal, to be shown as a guess, for those who allow one.
    package static let fallback = RestingEnergy(
        millikilocalories: 1_800_000, formula: .auto, assumptions: [.everything])

    /// Estimates.
    ///
    /// `auto` chooses Katch-McArdle when body fat is known, else Mifflin-St Jeor when height is
    /// known, else Harris-Benedict with an assumed height.
    ///
    /// - Throws: ``InsufficientData`` without a weight, with an age under 15 (these are equations for
    ///   adults), and when the chosen equation needs body fat or height that is unknown.
    public static func estimate(
        for body: Body, formula: RestingFormula = .auto
    ) throws(InsufficientData) -> RestingEnergy {
        guard let grams = body.weightGrams, grams > 0 else { throw .weight }
        if let age = body.age, age < 15 { throw .adulthood }
        var assumptions: [Assumption] = []
        func age() -> Int64 {
            if body.age == nil { assumptions.append(.age) }
            return Int64(min(body.age ?? 30, 150))
        }
        func isMale() -> Bool {
            if body.sex == nil || body.sex == .unspecified { assumptions.append(.sex) }
            return body.sex == .male
        }
        let chosen: RestingFormula
        switch formula {
        case .auto where body.bodyFatBasisPoints != nil: chosen = .katch
        case .auto: chosen = body.heightMillimeters != nil ? .mifflin : .harrisBenedict
        default: chosen = formula
        }
        let energy: Int64
        switch chosen {
        case .katch, .cunningham:
            guard let fat = body.bodyFatBasisPoints else { throw .bodyFat }
            energy =
                chosen == .katch
                ? katchMcArdle(grams: grams, bodyFatBasisPoints: fat)
                : cunningham(grams: grams, bodyFatBasisPoints: fat)
        case .mifflin, .auto:
            guard let height = body.heightMillimeters else { throw .height }
            energy = mifflin(grams: grams, millimeters: height, age: age(), isMale: isMale())
        case .harrisBenedict:
            let years = age()
            let male = isMale()
            if body.heightMillimeters == nil { assumptions.append(.height) }
            energy = harrisBenedict(
                grams: grams, millimeters: body.heightMillimeters ?? (male ? 1_780 : 1_650),
                age: years, isMale: male)
        }
        return RestingEnergy(
            millikilocalories: max(energy, 0), formula: chosen, assumptions: assumptions)
    }

    /// `10 W + 6.25 H − 5 A + 5` for men, `− 161` for women (kg, cm, years); exact in mkcal.
    /// A man of 80 kg, 180 cm and 30 years: 1,780.0 kcal; a woman of 65 kg, 165 cm and 28: 1,380.25.
    ///
    /// Source: Mifflin et al., American Journal of Clinical Nutrition 51 (1990) 241, simplified.
    package static func mifflin(
        grams: Int64, millimeters: Int64, age: Int64, isMale: Bool
    ) -> Int64 {
        let body = 10 * Int128(grams) + 625 * Int128(millimeters)
        return Rounding.clamped(body - 5_000 * Int128(age) + (isMale ? 5_000 : -161_000))
    }

    /// `88.362 + 13.397 W + 4.799 H − 5.677 A` for men, `447.593 + 9.247 W + 3.098 H − 4.330 A` for
    /// women (kg, cm, years), in mkcal, half to even. A man of 80 kg, 178 cm and 30 years: 1,844.034
    /// kcal; a woman of 65 kg, 165 cm and 30: 1,429.918.
    ///
    /// Source: Roza and Shizgal, American Journal of Clinical Nutrition 40 (1984) 168.
    package static func harrisBenedict(
        grams: Int64, millimeters: Int64, age: Int64, isMale: Bool
    ) -> Int64 {
        let (weight, height, years) = (Int128(grams), Int128(millimeters), Int128(age))
        let microkilocalories =
            isMale
            ? 88_362_000 + 13_397 * weight + 479_900 * height - 5_677_000 * years
            : 447_593_000 + 9_247 * weight + 309_800 * height - 4_330_000 * years
        return Rounding.clamped(Rounding.halfEven(microkilocalories, over: 1_000))
    }

    /// `370 + 21.6 × lean mass` (kg), in mkcal, half to even. 80 kg with 20 % fat: 1,752.4 kcal;
    /// 60 kg with 25 %: 1,342.0.
    ///
    /// Source: McArdle, Katch and Katch, "Exercise Physiology".
    package static func katchMcArdle(grams: Int64, bodyFatBasisPoints: Int64) -> Int64 {
        lean(grams, bodyFatBasisPoints, constant: 370_000, factorTenths: 216)
    }

    /// `500 + 22 × lean mass` (kg), in mkcal, half to even. 80 kg with 20 % fat: 1,908 kcal.
    ///
    /// Source: Cunningham, American Journal of Clinical Nutrition 33 (1980) 2372.
    package static func cunningham(grams: Int64, bodyFatBasisPoints: Int64) -> Int64 {
        lean(grams, bodyFatBasisPoints, constant: 500_000, factorTenths: 220)
    }

    private static func lean(
        _ grams: Int64, _ fat: Int64, constant: Int64, factorTenths: Int128
    ) -> Int64 {
        let product = Int128(grams) * Int128(10_000 - min(max(fat, 0), 10_000)) * factorTenths
        return Rounding.sum(constant, Rounding.clamped(Rounding.halfEven(product, over: 100_000)))
    }
}

/// The input of the equations for a day; `nil` is unknown.
public struct Body: Hashable, Sendable {
    /// The weight, in grams.
    public var weightGrams: Int64?
    /// The height, in millimetres.
    package var heightMillimeters: Int64?
    /// The age, in whole years.
    public var age: Int?
    /// The sex.
    package var sex: Sex?
    /// Body fat, in basis points.
    public var bodyFatBasisPoints: Int64?

    /// The known values of a body.
    package init(
        weightGrams: Int64? = nil, heightMillimeters: Int64? = nil, age: Int? = nil,
        sex: Sex? = nil, bodyFatBasisPoints: Int64? = nil
    ) {
        self.weightGrams = weightGrams
        self.heightMillimeters = heightMillimeters
        self.age = age
        self.sex = sex
        self.bodyFatBasisPoints = bodyFatBasisPoints
    }

    /// A person on a day.
    ///
    /// - Parameters:
    ///   - day: The day that decides the age.
    ///   - weighIn: The latest weigh-in up to that day; its body fat goes before the profile's.
    public init(_ profile: Profile, on day: Day, weighIn: WeighIn?) {
        self.init(
            weightGrams: weighIn?.grams, heightMillimeters: profile.heightMillimeters,
            age: profile.birthDate.flatMap { day.age(bornOn: $0) }, sex: profile.sex,
            bodyFatBasisPoints: weighIn?.bodyFatBasisPoints ?? profile.bodyFatBasisPoints)
    }
}

/// Values that are required before energy can be estimated.
public struct InsufficientData: ExplainedError, Hashable, Sendable {
    private enum Missing {
        /// No weight: it is never assumed.
        case weight
        /// The chosen equation needs a height.
        case height
        /// The chosen equation needs body fat.
        case bodyFat
        /// The equations are for adults, from 15 years on.
        case adulthood
        /// The plan states no energy.
        case energy
        /// Neither the plan nor the profile states shares.
        case shares
    }

    private let missing: Missing

    /// No weight: it is never assumed.
    package static let weight = InsufficientData(missing: .weight)
    /// The chosen equation needs a height.
    package static let height = InsufficientData(missing: .height)
    /// The chosen equation needs body fat.
    package static let bodyFat = InsufficientData(missing: .bodyFat)
    /// The equations are for adults, from 15 years on.
    package static let adulthood = InsufficientData(missing: .adulthood)
    /// The plan states no energy.
    package static let energy = InsufficientData(missing: .energy)
    /// Neither the plan nor the profile states shares.
    package static let shares = InsufficientData(missing: .shares)

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        ErrorText(cannot: "estimate the energy", explanation, hint: hint)
    }

    /// The missing value.
    var explanation: String {
        switch missing {
        case .weight: "no weight is known"
        case .height: "the equation needs a height"
        case .bodyFat: "the equation needs body fat"
        case .adulthood: "the equations hold from the age of 15"
        case .energy: "the plan states no energy"
        case .shares: "no shares are known"
        }
    }

    /// What to record.
    var hint: String? {
        switch missing {
        case .weight: "log a weight"
        case .height: "set one, or choose another equation"
        case .bodyFat: "set it, or choose another equation"
        case .adulthood: "set the energy yourself"
        case .energy: "set it"
        case .shares: "set three percentages that sum to 100"
        }
    }
}
