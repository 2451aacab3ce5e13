/// Common passwords that zxcvbn's own lists lack: words typed in another keyboard layout, names in
/// another alphabet, patterns on two rows of keys.
enum MoreWords {
    static let all: [String] = text.split { $0 == " " || $0 == "\n" }.map(String.init)

    private static let text = """
        4815162342 fktrcfylh fylhtq rasdzv3 fyfcnfcbz cjkysirj dbrnjhbz nfnmzyf cthutq
        soso123aljg hjvfirf trfnthbyf fktrctq q1w2e3r4t5y6 rhbcnbyf cdtnkfyf vfvjxrf ghbdtnbr
        cjkywt lvbnhbq dkflbvbh rjntyjr mailcreated5240 mersedes aezakmi a1s2d3f4 cxfcnmt jrcfyf
        vfrcbvrf vkontakte rfnthbyf dthjybrf gbpltw tdutybq dfkthbz rjirfrgbde zxcasdqwe
        fktrcfylhf polniypizdec0211 vfvekz anhyeuem rfrnec 1qa2ws3ed sojdlg123aljg ktyjxrf
        dfkthf dkflbckfd gfhjkm123 dfktynbyf vfhufhbnf ybrjkfq z1x2c3 ghjcnjnfr rjycnfynby
        zxasqw12 gegcbr mazafaka cfitymrf crjhgbjy rhfcjnrf montgom240 cgfhnfr gfhjkm1 fytxrf
        jktymrf dfcbkbq z1x2c3v4 armagedon rhtdtlrj kleopatra yfnfkmz tdutybz ghblehjr yfcntymrf
        fyutkbyf 7ugd5hip2j ltybcrf ntktajy gfhjkmgfhjkm 9293709b13 kakashka fgtkmcby 1a2s3d4f
        vsjasnel12 yjdsqgfhjkm cdtnbr zhjckfd rhjrjlbk hjccbz kfhbcf vfitymrf 1z2x3c rjhjktdf
        1z2x3c4v abrakadabra vjcrdf webhompas kjkszpj kjrjvjnbd tkbpfdtnf ghbywtccf cnfybckfd
        gtnhjdbx yfnfkb 45m2do5bs gbhfvblf nfytxrf sekret ghbdtn123 nokia6233 ghjcnjgfhjkm
        fyfnjkbq zxcasdqwe123 ijrjkfl vjqgfhjkm rfvfcenhf ghjuhfvvf sasha_007 kfgjxrf dfktynby
        dkflbr cevthrb nbvjatq k.lvbkf jktxrf pufunga7782 fkbyjxrf murzik ghhh47hj7649 vjkjrj
        vbkfirf htubcnhfwbz krokodil rfntymrf lhfrjy cvthnm ghbrjk rfhnjirf vqsablpzla gthcbr
        c2h5oh baracuda kamasutra lfitymrf vfntvfnbrf 1q2q3q fyutkjxtr 0192837465 bynthytn
        strelok dbnfkbr zyjxrf nthvbyfnjh benessere segblue2 dfcbkbcf vfndtq rfgecnf tujhrf
        madagaskar rfhfvtkmrf sqdwfe rhfcfdbwf hfytnrb ghjcnbnenrf ljxtymrf nokia5800 ghjcnjq
        flvbybcnhfnjh rfhfylfi 1q2q3q4q dfytxrf kamikadze wanrltw dtkjcbgtl z1x2c3v4b5 yfcntyf
        cfvceyu ekmzyf ltkmaby fynjirf dtxyjcnm a1a2a3a4 wdtnjxtr tequier ntktdbpjh lapochka
        q1q2q3q4q5 ghbdtnrfrltkf 1z2x3c4v5b mamochka utjhubq vfhujif websol76 timoxa94 guillerm
        nokia5530 lehjxrf vbienrf wachtwoord chickenwing101 1qaz2wsx3edc4rfv rhfcjnf a1s2d3f4g5
        3rjs1la7qe gdtrfb gfynthf rfgbnjirf cocacol nfhfrfy qpalzm ghbdtndctv cnfkrth rjhjdf
        vflfufcrfh fhntvrf rjcvjc yfnfirf 2300mj vfhbyjxrf futyn007 komputer nokia5130 nastenka
        csyjxtr ramzes fhvfutljy vbifyz wdtnjr fhctybq fraggle kfcnjxrf scoobie rfhlbyfk cjytxrf
        qawsedrftg 1a2s3d4f5g kennwort q1q2q3q4 gfhjdjp comicbookdb vfpfafrf kavkaz rammstei
        j3qq4h7h2v hfljcnm gfhjkm12 yfnfitymrf tkfkdg rdfhnbhf vfhnsirf sk8ordie rjitxrf fyyeirf
        ytngfhjkz lbvjxrf vtldtlm rbcekz geibcnbr rktjgfnhf ghjdthrf optiplex corvett hulkster
        l58jkdjp! kazanova fktyeirf 1a2a3a4a vfhbirf bhbcrf anechka solnishko rb26dett kbctyjr
        djkjlz vbhevbh cneltyn cvbhyjdf fynjybyf nfy.irf peregrin mahalkita bobmarle
        maurolarastefy rerfhtre zaxscd gbcmrf elbereth misiaczek volkodav vepsrf domainlock2005
        dhjnvytyjub nhfrnjh ybrbnjc x72jhhu3z cxfcnkbdfz schnuffi 12s3t4p55 rjnzhf sonyvaio
        bhjxrf uhbujhbq vfylfhby pfqxbr dkflbvbhjdbx zolushka pfkegf hd764nw5d7e1vb1 dbrecz
        ub6ib9 zz8807zpl rebbyt34 ijrjkflrf drjynfrnt shibumi qazwsxedcrfvtgb 1hxboqg2 kthjxrf
        123hfjdk147 rfhfgep a1a2a3a4a5 vfnbkmlf 8phrowz622 c3por2d2 uzumymw 5hsu75kpot shiznit
        topsecre priscill ufhvjybz gbgbcmrf ceckbr dbnfkbq nbuhtyjr dbnfkz dkflbvbhjdyf greyhoun
        tanechka barakuda yfafyz ytrhjvfyn cvbhyjd rakkaus h2opolo gfcgjhn gfhjkzytn ghjvtntq
        8phrowz624 crfprf gfnhbjn ltdjxrf tkfkdgo 33rjhjds voiture rhfcfdxbr baphomet yfnfkbz
        volodya nokia3250 ryjgrf rerfhfxf zcxfcnkbdf gy3yt2rgls vfhbyrf gfhfljrc nfvfhf 7hrdnw23
        gsxr600 ghjnjrjk venezuel kochamcie skazka tarantul vthctltc ghtktcnm 1a2a3a4a5a fy.nrf
        vfvfvskfhfve repytwjdf ghjcnjghjcnj flhtyfkby televizor gtkmvtym ghbrjkbcn rjyjgkz
        fkmnthyfnbdf milashka ytyfdbcnm mugwump lolwut kukolka ghbdtn12 ctdfcnjgjkm ganjubas
        jagr68 admin18533362 89600506779 sk8ter vampyre rjyatnrf ubnfhf dzxtckfd 23176djivanfros
        karamelka vbkfyf bublik olechka wtpfhm qazxswedcvfr rfntyjr dthjxrf repytwjd vbkbwbz
        lfybkrf cvzefh1gkc 1qay2wsx azsxdcfvgb capa200 nokia5300 0wnsyo0 sensatio fnkfynblf
        1q2q3q4q5q orkiox. oc247ngucz xthtgfirf dbrf134 jeepcj7 egorova w1w2w3w4 leiceste
        yjdsqujl whosyourdaddy squiggy morkovka atdhfkm gjgeufq gfhnbpfy sk84life zaxscdvf
        svetlanka lbfyjxrf gfhkfvtyn ghblehrb dtythf reklama cnhtktw rjcnbr arschloch hemicuda
        fyutkjr cnfcbr konfetka kban667 fktrcfylhjdyf fktrcfylhjdbx vaz21099 gr8ful
        """
}
